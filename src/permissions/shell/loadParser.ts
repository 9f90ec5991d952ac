/**
 * Parses shell commands with the tree-sitter grammar that editors use. A command that is not understood in full is
 * reported as such; nothing is guessed. The grammar is large, so it is loaded on first use.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Parser, Tree } from 'web-tree-sitter';
import { CommandReader } from './CommandReader.ts';
import type { ParsedCommand } from './parsedCommand.ts';
import { withDashesBehind } from './tokens.ts';

const maxLength = 64_000;
/** Text that is not a command may be so ambiguous that parsing takes forever. */
const MAX_PARSE_MS = 1000;
// Invisible characters that make a command look like another one; includes carriage returns.
const disguises = /[\0-\x08\x0b-\x1f\x7f\u2028-\u202e\u2066-\u2069\ufeff]/;

/**
 * 128 MB, in pages of WebAssembly. The longest commands need less than 100 MB; the grammar would use gigabytes to recover
 * from some errors.
 */
const MEMORY = { initial: 512, maximum: 2048 };

/**
 * `wasmDirectory` contains `web-tree-sitter.wasm` and `tree-sitter-bash.wasm`. Rejects if they are missing. `onFailure`:
 * see `createShellParser`.
 */
export async function loadShellParser(
  wasmDirectory: string,
  onFailure?: () => void,
): Promise<(command: string) => ParsedCommand> {
  const { Language, Parser } = await import('web-tree-sitter');
  const [runtime, grammar] = await Promise.all([
    readFile(join(wasmDirectory, 'web-tree-sitter.wasm')),
    readFile(join(wasmDirectory, 'tree-sitter-bash.wasm')),
  ]);
  await Parser.init({
    wasmBinary: runtime,
    wasmMemory: new WebAssembly.Memory(MEMORY),
    printErr: () => undefined,
  });
  const language = await Language.load(grammar);
  return createShellParser(() => new Parser().setLanguage(language), onFailure);
}

/**
 * Reads commands with a parser from `create`, and with a new one after a failure: WebAssembly leaves the failed parser
 * in an inconsistent state. A command that makes it fail is not understood. The memory of the failed parser is lost, so
 * later ones may fail, too: after `onFailure` the thread should be replaced.
 */
export function createShellParser(
  create: () => Pick<Parser, 'parse' | 'reset'>,
  onFailure: () => void = () => {},
): (command: string) => ParsedCommand {
  let parser = create();
  // The memory of such a parser cannot be freed safely, and the garbage collector would try to.
  const failed: unknown[] = [];
  return (command) => {
    const reader = new CommandReader(readScript);
    try {
      return readScript(command, reader, 0) ? reader.result() : reader.failed();
    } catch (error) {
      // Thousands of nested brackets overflow the stack; WebAssembly may run out of memory.
      if (error instanceof RangeError || error instanceof WebAssembly.RuntimeError) return { ok: false };
      throw error;
    }
  };

  /** null if it took too long; the parser is reset then. */
  function treeOf(script: string): Tree | null {
    const until = performance.now() + MAX_PARSE_MS;
    try {
      const tree = parser.parse(script, null, { progressCallback: () => performance.now() > until });
      if (tree === null) parser.reset();
      return tree;
    } catch (error) {
      onFailure();
      failed.push(parser);
      parser = create();
      throw error;
    }
  }

  function readScript(written: string, into: CommandReader, depth: number): boolean {
    if (written.length > maxLength || disguises.test(written)) return false;
    const script = withDashesBehind(written);
    const tree = treeOf(script);
    if (tree === null) return false;
    try {
      return !tree.rootNode.hasError && into.readProgram(tree.rootNode, script, depth);
    } finally {
      tree.delete();
    }
  }
}
