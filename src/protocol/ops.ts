/** Ops: plain-data inputs of an agent. Their effects come back as events. */
import type { ItemEdit } from './contextReport.ts';
import type { MentionSource, PreparedSkill, SkillText } from './extensions/skills.ts';
import type { ContentPart } from './messages.ts';
import type { Effort, ThinkingChange } from './models/wires.ts';
import type { PermissionAnswer, PermissionMode } from './permissions.ts';

/** The parts of a session that a rewind can restore. */
export type RewindScope = 'both' | 'conversation' | 'files';

export interface PromptOp {
  readonly type: 'prompt';
  /** The text for the model. */
  readonly text: string;
  /** The text for the screen if it is shorter (a folded paste). */
  readonly display?: string;
  /** The typed part of the text if the rest was piped in; absent = the same as `display`. */
  readonly typed?: string;
  /** A skill whose instructions are sent with the prompt. */
  readonly skill?: SkillText;
  /** The model that a skill or command names for the turn. */
  readonly requestedModel?: { readonly name: string; readonly model: string };
  /** Commands whose output is part of the text. */
  readonly commands?: SkillText['commands'];
  readonly images?: readonly Extract<ContentPart, { type: 'image' }>[];
  /** The text of a skill, whose mentions are attached, too. */
  readonly mentionSource?: MentionSource;
  /** What was attached when the prompt was sent. */
  readonly attachments?: readonly Attachment[];
}

/** A file, folder or resource that a prompt mentions, or the prompt of an MCP server that the user has chosen. */
export interface Attachment {
  /** Absolute; of an MCP server, what it calls it. */
  readonly path: string;
  /** Short, with its range of lines. */
  readonly title: string;
  readonly outcome: AttachmentOutcome;
  /** The outcome in a few words: "120 lines". */
  readonly summary: string;
  /** For the model. */
  readonly text: string;
  readonly filesRead?: readonly { readonly path: string; readonly hash: string }[];
  readonly images?: readonly Extract<ContentPart, { type: 'image' }>[];
  readonly isImage?: true;
}

/** `unchanged`: the model sees it already; `prompt`: of an MCP server. */
type AttachmentOutcome = 'read' | 'listed' | 'unchanged' | 'refused' | 'prompt';

export type Op =
  | PromptOp
  | { readonly type: 'shell'; readonly command: string }
  /**
   * Runs a skill or custom command: runs its commands, then sends its prompt. `display`: as typed by the user; `typed`: the
   * part of it that was, if the rest was piped in.
   */
  | ({ readonly type: 'use_skill'; readonly display: string; readonly typed?: string } & PreparedSkill)
  | { readonly type: 'interrupt' }
  /** Moves running foreground calls to the background if possible; the calls return immediately. */
  | { readonly type: 'background' }
  /** Stops a background task and all its processes. */
  | { readonly type: 'stop_task'; readonly id: string }
  | { readonly type: 'answer'; readonly id: string; readonly answer: PermissionAnswer }
  /** `preview` shows the result and changes nothing. */
  | { readonly type: 'compact'; readonly focus?: string; readonly preview?: boolean }
  /** Undoes the last compaction. */
  | { readonly type: 'uncompact' }
  | { readonly type: 'edit_item'; readonly edit: ItemEdit }
  | { readonly type: 'set_mode'; readonly mode: PermissionMode }
  | { readonly type: 'set_model'; readonly model: string }
  /** Sets how much the model reasons in this session; without `effort`, its own default. */
  | { readonly type: 'set_effort'; readonly effort?: Effort }
  /** Sets how many tokens the model reasons with, and whether it shows them. */
  | ({ readonly type: 'set_thinking' } & ThinkingChange)
  /** Sets the user's title of the session. */
  | { readonly type: 'set_title'; readonly title: string }
  /** Rewinds to before the turn of this prompt. Refused while a turn runs. */
  | { readonly type: 'rewind'; readonly to: string; readonly scope: RewindScope }
  /** Undoes the last rewind. */
  | { readonly type: 'undo_rewind' };
