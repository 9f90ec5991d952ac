import type { InstructionSource } from '../../../src/context/memory/InstructionSource.ts';
import type { InstructionFile } from '../../../src/context/memory/instructions.ts';

/** The files that a new session gets. */
export async function instructionFiles(source: InstructionSource): Promise<readonly InstructionFile[]> {
  return (await source.changes(new Map(), [])).filter((file) => file.text !== undefined);
}
