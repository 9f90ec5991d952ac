/** The port of onboarding: finds servers on this machine, and tests an endpoint before it is saved. */
import type { ServedModel } from '../../protocol/models/server.ts';

/** A server that answered on this machine, or one named by the environment. */
export interface FoundServer {
  /** Display name: "Ollama", "vLLM". */
  readonly name: string;
  /** Up to and including `/v1`. */
  readonly baseUrl: string;
  readonly state:
    | { readonly type: 'models'; readonly models: readonly ServedModel[] }
    /** It runs but has no chat model; `advice` says how to get one. */
    | { readonly type: 'empty'; readonly advice: string }
    | { readonly type: 'wants_key' }
    /** Not on this machine, so nothing was sent to it; `source` is where its address came from. */
    | { readonly type: 'unasked'; readonly source: string };
}

export interface Access {
  readonly baseUrl: string;
  /** Empty for no key. */
  readonly apiKey: string;
  /** Empty to choose from the list. */
  readonly model: string;
}

export type AccessField = keyof Access;

/** The result of testing an endpoint with a key and perhaps a model. */
export type AccessOutcome =
  /** It works; `baseUrl` is the form to save. */
  | { readonly type: 'accepted'; readonly access: Access }
  /** The models, best first. `isProven`: the key is known to work, or none is needed. */
  | {
      readonly type: 'models';
      readonly baseUrl: string;
      readonly models: readonly ServedModel[];
      readonly isProven: boolean;
    }
  /** `field`: the one that is most likely wrong; `message`: what happened and what to do. */
  | { readonly type: 'refused'; readonly field: AccessField; readonly message: string };

export interface SetupPort {
  /** Finds servers on this machine, best first, within a moment. Never rejects. */
  search(): Promise<readonly FoundServer[]>;
  /** Adds slower facts: which models call tools, and which cannot chat. */
  refine(found: readonly FoundServer[]): Promise<readonly FoundServer[]>;
  /** Tests the access without saving anything. Never rejects; stops on abort. */
  check(access: Access, signal: AbortSignal): Promise<AccessOutcome>;
  /** Existing settings, without the key. */
  readonly defaults: { readonly baseUrl?: string; readonly model?: string };
  /** Where the settings are saved, in display form. */
  readonly savedTo: string;
}
