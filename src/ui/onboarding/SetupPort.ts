/** What the first minute needs of the outside: finding servers on this machine, and trying an endpoint before it is kept. */
import type { ServedModel } from '../../protocol/server.ts';

/** A server that answered on this machine, or one that the environment names. */
export interface FoundServer {
  /** "Ollama", "vLLM"; as shown to people. */
  readonly name: string;
  /** Up to and including `/v1`. */
  readonly baseUrl: string;
  readonly state:
    | { readonly type: 'models'; readonly models: readonly ServedModel[] }
    /** It runs and has no model for conversations; `advice` says how to get one. */
    | { readonly type: 'empty'; readonly advice: string }
    | { readonly type: 'wants_key' }
    /** Not on this machine, so nothing was sent to it; `source` names who spoke of it. */
    | { readonly type: 'unasked'; readonly source: string };
}

export interface Access {
  readonly baseUrl: string;
  /** Empty for none. */
  readonly apiKey: string;
  /** Empty where it is chosen from the list. */
  readonly model: string;
}

export type AccessField = keyof Access;

/** What a server said to an endpoint, a key and perhaps a model. */
export type AccessOutcome =
  /** It works; `baseUrl` as it is to be kept. */
  | { readonly type: 'accepted'; readonly access: Access }
  /** The list, best first. `isProven`: it was shown to nobody without the key, or no key is needed. */
  | {
      readonly type: 'models';
      readonly baseUrl: string;
      readonly models: readonly ServedModel[];
      readonly isProven: boolean;
    }
  /** `field` is what most likely has to be put right; `message` says what happened and what to do. */
  | { readonly type: 'refused'; readonly field: AccessField; readonly message: string };

export interface SetupPort {
  /** Servers on this machine, best first; never takes longer than a moment, never rejects. */
  search(): Promise<readonly FoundServer[]>;
  /** The same with what there was no time for: which models call tools, and which are none for conversations. */
  refine(found: readonly FoundServer[]): Promise<readonly FoundServer[]>;
  /** Tries it without keeping anything; never rejects, and is given up with the signal. */
  check(access: Access, signal: AbortSignal): Promise<AccessOutcome>;
  /** What is set already, without the key. */
  readonly defaults: { readonly baseUrl?: string; readonly model?: string };
  /** Where endpoint, key and model are kept, as shown to people. */
  readonly savedTo: string;
}
