/** The test server, apart from `bench.ts`, which loads the client: tests of the program need only this. */
import { join } from 'node:path';
import type { McpServerDefinition } from '../../../src/protocol/extensions/mcp.ts';

export const SERVER = join(import.meta.dirname, 'server.mjs');

/** The test server in the given modes. */
export const stdio = (...modes: string[]): McpServerDefinition => ({
  command: process.execPath,
  args: [SERVER, ...modes],
});
