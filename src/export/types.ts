/** Types for exporting. */
import type { ContentPart } from '../protocol/messages.ts';

export const exportFormats = ['md', 'html', 'json', 'jsonl'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Facts about the session that are not in its entries. */
export interface ExportMeta {
  readonly title: string;
  readonly sessionId: string;
  /** The project's root, if known. */
  readonly project?: string;
  readonly programVersion: string;
  readonly exportedAt: Date;
}

export interface ExportOptions {
  readonly format: ExportFormat;
  readonly meta: ExportMeta;
  /** Whether to replace keys, tokens, passwords and private keys with marks; default true. */
  readonly redact?: boolean;
  /** The user's own secrets in any format, such as the endpoint's key. */
  readonly own?: readonly string[];
  /** Called with the mark of each replaced secret. */
  readonly onRedacted?: (mark: string) => void;
  /** Whether to include tool output; default true. */
  readonly toolOutputs?: boolean;
  /** Whether to include the model's reasoning; default true. */
  readonly reasoning?: boolean;
}

/** One item of a session, in reading order. */
export type ExportItem =
  | {
      readonly type: 'turn';
      /** Starts at 1. */
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
      /** Absent for a complete reply. */
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
      /** The result as the model saw it; absent if there is none, or it was not requested. */
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
