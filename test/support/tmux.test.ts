import { expect, test } from "vitest";
import { startInTmux } from "./tmux.ts";

const script =
  'printf "\\033[31mred\\033[0m\\n"; stty size; read -r line; echo "got $line in $PLACE"; stty size; exit 3';

test("a command runs in a terminal of the given size, with only the given environment", async () => {
  const options = { file: "sh", args: ["-c", script], env: { PLACE: "here" }, width: 60, height: 10 };
  await using terminal = await startInTmux(options);
  expect(await terminal.waitForText("10 60")).toContain("red");
  expect(await terminal.screenWithColours()).toContain("\u001b[31mred");
  await terminal.resize(70, 12);
  await terminal.type("; a 'quoted' line -x");
  await terminal.send("Enter");
  await terminal.waitForText("got ; a 'quoted' line -x in here");
  await terminal.waitForText(/^12 70$/m);
  expect(await terminal.exitCode()).toBe(3);
  expect(await terminal.screen()).toContain("got ;");
});

test("a text that never appears fails with the screen", async () => {
  await using terminal = await startInTmux({ file: "sh", args: ["-c", "echo something else; read -r line"] });
  await terminal.waitForText("something else");
  await expect(terminal.waitForText("never", 100)).rejects.toThrow(/never on the screen[\s\S]*something else/);
});
