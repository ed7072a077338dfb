import { once } from "node:events";
import { mailBody, seededRandom } from "./corpus.ts";
import { bareSend, plainSend } from "./send-ways.ts";

/** One of many senders. argv: root, own address, receiver, letters, "bare" for file operations alone. It says `ready`,
 *  waits for a line, sends, and ends. */
const [root = "", from = "", to = "", letters = "0", way = ""] = process.argv.slice(2);
const send = (way === "bare" ? bareSend : plainSend)(root, from, to);
const body = mailBody(seededRandom(Number(letters)));

process.stdout.write("ready\n");
await once(process.stdin, "data");
for (let count = 0; count < Number(letters); count += 1) send(body);
process.stdin.destroy();
