/** The words of this room. */
import type { ContentPart } from '../protocol/messages.ts';

export const exportFormats = ['md', 'html', 'json', 'jsonl'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** What is known of the session besides its entries. */
export interface ExportMeta {
  readonly title: string;
  readonly sessionId: string;
  /** The project's root, as far as it is known. */
  readonly project?: string;
  /** Version of the program that exports. */
  readonly programVersion: string;
  readonly exportedAt: Date;
}

export interface ExportOptions {
  readonly format: ExportFormat;
  readonly meta: ExportMeta;
  /** True unless said otherwise: keys, tokens, passwords and private keys are replaced by marks. */
  readonly redact?: boolean;
  /** Secrets of this user, whatever they look like: the endpoint's key. */
  readonly own?: readonly string[];
  /** Hears of each secret that was replaced. */
  readonly onRedacted?: (mark: string) => void;
  /** Whether what tools answered is part of it; true unless said otherwise. */
  readonly toolOutputs?: boolean;
  /** Whether the model's reasoning is part of it; true unless said otherwise. */
  readonly reasoning?: boolean;
}

/** One thing that happened, in the order in which one reads it. */
export type ExportItem =
  | {
      readonly type: 'turn';
      /** From 1. */
      readonly number: number;
      readonly text: string;
      readonly images: readonly Extract<ContentPart, { type: 'image' }>[];
      readonly timestamp: string;
      readonly seq: number;
    }
  | {
      readonly type: 'reply';
      readonly text: string;
      readonly reasoning?: string;
      readonly model?: string;
      /** Absent for a reply that came to its end. */
      readonly cut?: 'interrupted' | 'failed';
      readonly timestamp: string;
      readonly seq: number;
    }
  | {
      readonly type: 'call';
      readonly tool: string;
      /** One line: the file, the pattern, the command. */
      readonly title: string;
      readonly summary?: string;
      readonly input: unknown;
      /** What the model saw of the answer; absent where there is none, or it was not asked for. */
      readonly output?: string;
      /** Unified diff of an edit. */
      readonly diff?: string;
      readonly status: string;
      readonly seq: number;
    }
  | {
      readonly type: 'shell';
      readonly command: string;
      readonly output?: string;
      readonly timestamp: string;
      readonly seq: number;
    }
  | {
      readonly type: 'note';
      readonly kind: string;
      /** A sentence. */
      readonly text: string;
      /** Longer text that belongs to it: a summary, a goal. */
      readonly body?: string;
      readonly seq: number;
    }
  | { readonly type: 'end'; readonly outcome: string; readonly steps: number; readonly seq: number };
