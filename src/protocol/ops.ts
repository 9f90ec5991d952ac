/** What goes into an agent. Each op is plain data; its effects come back as events. */
import type { ItemEdit } from './contextReport.ts';
import type { ContentPart } from './messages.ts';
import type { PermissionAnswer, PermissionMode } from './permissions.ts';
import type { PreparedSkill, SkillText } from './skills.ts';

/** What goes back. */
export const rewindScopes = ['both', 'conversation', 'files'] as const;
export type RewindScope = (typeof rewindScopes)[number];

export interface PromptOp {
  readonly type: 'prompt';
  /** What the model sees. */
  readonly text: string;
  /** What the reader sees, when that is shorter (a folded paste). */
  readonly display?: string;
  /** What of the text the user typed, where the rest was piped in; absent = what is displayed. */
  readonly typed?: string;
  /** A skill whose instructions go along. */
  readonly skill?: SkillText;
  /** Commands whose output is part of the text. */
  readonly commands?: SkillText['commands'];
  readonly images?: readonly Extract<ContentPart, { type: 'image' }>[];
}

export type Op =
  | PromptOp
  | { readonly type: 'shell'; readonly command: string }
  /** Runs a skill or custom command: fills in its commands, then prompts. `display`: as the user typed it. */
  | ({ readonly type: 'use_skill'; readonly display: string } & PreparedSkill)
  | { readonly type: 'interrupt' }
  /** What runs in front and can goes on in the background; its calls return at once. */
  | { readonly type: 'background' }
  /** Ends a background task and everything it started. */
  | { readonly type: 'stop_task'; readonly id: string }
  | { readonly type: 'answer'; readonly id: string; readonly answer: PermissionAnswer }
  /** `preview` shows what would become of the conversation and changes nothing. */
  | { readonly type: 'compact'; readonly focus?: string; readonly preview?: boolean }
  /** Undoes the last compaction. */
  | { readonly type: 'uncompact' }
  | { readonly type: 'edit_item'; readonly edit: ItemEdit }
  | { readonly type: 'set_mode'; readonly mode: PermissionMode }
  | { readonly type: 'set_model'; readonly model: string }
  /** What the user calls the session from now on. */
  | { readonly type: 'set_title'; readonly title: string }
  /** Rewinds to before the turn of this prompt. Refused while a turn runs. */
  | { readonly type: 'rewind'; readonly to: string; readonly scope: RewindScope }
  /** Undoes the last rewind. */
  | { readonly type: 'undo_rewind' };
