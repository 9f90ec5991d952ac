/** The soak of the bench is plain JavaScript; what its test takes of it. */
declare module '*/soak.mjs' {
  import type { Place } from '*/place.mjs';

  export interface SoakSample {
    readonly turn: number;
    /** MB of the process tree. */
    readonly memory: number;
    /** Milliseconds of CPU a turn. */
    readonly cpuMs: number;
    readonly stepMs: number;
    readonly turnMs: number;
    /** Milliseconds from a key to the screen, in the middle. */
    readonly echoMs: number;
    readonly echoP95: number;
  }
  export function soak(
    program: string,
    place: Place,
    turns: number,
    options?: { readonly strategy?: string; readonly onSample?: (sample: SoakSample) => void },
  ): Promise<{
    readonly samples: readonly SoakSample[];
    readonly entries: number;
    /** Bytes of the last request. */
    readonly bodies: number;
    readonly summaries: number;
  }>;
}

declare module '*/place.mjs' {
  export interface Place {
    readonly cwd: string;
    remove(): void;
  }
  export function createPlace(): Place;
}
