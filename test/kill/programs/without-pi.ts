/**
 * Preloaded by the programs of this folder: Pi and its schema library are replaced by the little that wiring takes from
 * them, since they take ten times as long to load as everything else, and these programs start by the thousand.
 */
import { registerHooks } from "node:module";

const module = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;
const STAND_INS: Record<string, string> = {
  "@mariozechner/pi-coding-agent": module('export const VERSION = "1.6.0";'),
  "@sinclair/typebox": module("export const Type = new Proxy({}, { get: () => () => ({}) });"),
};

registerHooks({
  resolve(specifier, context, nextResolve) {
    const url = STAND_INS[specifier];
    return url === undefined ? nextResolve(specifier, context) : { url, shortCircuit: true };
  },
});
