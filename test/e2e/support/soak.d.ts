/** Types of the bench's soak test, which is plain JavaScript, as far as its test uses it. */
declare module '*/soak.mjs' {
  import type { Place } from '*/place.mjs';

  export interface SoakSample {
    readonly turn: number;
    /** MB of the process tree. */
    readonly memory: number;
    /** Milliseconds of CPU per turn. */
    readonly cpuMs: number;
    readonly stepMs: number;
    readonly turnMs: number;
    /** Median milliseconds from a key press to the screen. */
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
