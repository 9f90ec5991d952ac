/**
 * Takes shell commands apart with the grammar that editors use. Whatever is not understood to the last
 * character is reported as such, never guessed at. The grammar is loaded on first need: it is large.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Parser, Tree } from 'web-tree-sitter';
import { CommandReader } from './CommandReader.ts';
import type { ParsedCommand } from './parsedCommand.ts';

const maxLength = 64_000;
/** Text that is no command may have more readings than anybody can wait for. */
const MAX_PARSE_MS = 1000;
// Invisible characters that make a command look like another one; carriage returns among them.
const disguises = /[\0-\x08\x0b-\x1f\x7f\u2028-\u202e\u2066-\u2069\ufeff]/;

/** `wasmDirectory` holds `web-tree-sitter.wasm` and `tree-sitter-bash.wasm`. Rejects when they are missing. */
export async function loadShellParser(wasmDirectory: string): Promise<(command: string) => ParsedCommand> {
  const { Language, Parser } = await import('web-tree-sitter');
  const [runtime, grammar] = await Promise.all([
    readFile(join(wasmDirectory, 'web-tree-sitter.wasm')),
    readFile(join(wasmDirectory, 'tree-sitter-bash.wasm')),
  ]);
  await Parser.init({ wasmBinary: runtime, printErr: () => undefined });
  const parser = new Parser();
  parser.setLanguage(await Language.load(grammar));
  return (command) => parse(parser, command);
}

function parse(parser: Parser, command: string): ParsedCommand {
  const reader = new CommandReader(readScript);
  try {
    return readScript(command, reader, 0) ? reader.result() : reader.failed();
  } catch (error) {
    // Thousands of brackets in each other are deeper than the stack.
    if (error instanceof RangeError) return { ok: false };
    throw error;
  }

  /** null = it took too long or too much memory: the next command then needs a fresh parser. */
  function treeOf(script: string): Tree | null {
    const until = performance.now() + MAX_PARSE_MS;
    try {
      const tree = parser.parse(script, null, { progressCallback: () => performance.now() > until });
      if (tree === null) parser.reset();
      return tree;
    } catch (error) {
      parser.reset();
      if (error instanceof WebAssembly.RuntimeError) return null;
      throw error;
    }
  }

  function readScript(script: string, into: CommandReader, depth: number): boolean {
    if (script.length > maxLength || disguises.test(script)) return false;
    const tree = treeOf(script);
    if (tree === null) return false;
    try {
      return !tree.rootNode.hasError && into.readProgram(tree.rootNode, script, depth);
    } finally {
      tree.delete();
    }
  }
}
