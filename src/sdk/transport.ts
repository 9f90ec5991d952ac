import type { Launch } from './launch.ts';

/** A running program with stream-json on its pipes: a process, or a part of this one. */
export interface Transport {
  /** Writes one line, without its ending. Never throws; what is written after the end is lost. */
  write(line: string): void;
  /** Closes the program's input: it runs the prompts that it has, and ends. */
  endInput(): void;
  /** Ends it soon, even if it is busy; its session is saved. */
  stop(): void;
  /** Complete lines. Ends before `ended` resolves; never rejects. */
  readonly lines: AsyncIterable<string>;
  /** Never rejects. */
  readonly ended: Promise<ProgramEnd>;
}

export interface ProgramEnd {
  /** Undefined if it could not be started, or was killed. */
  readonly exitCode: number | undefined;
  /** Why there is no exit code. */
  readonly problem?: string;
  /** The last of what it wrote to standard error. */
  readonly stderr: string;
}

/** Starts the program. `onWarning` gets what it writes to standard error. */
export type Connect = (
  launch: Pick<Launch, 'argv' | 'cwd' | 'env'>,
  onWarning: (text: string) => void,
) => Transport;
