/** The words of deeds: what a key that is not text does, and what it may use for that. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { ScreenPorts, Snapshot } from '../controllerTypes.ts';
import type { Images } from '../images/images.ts';
import type { UiHouse, UiOptions } from '../types.ts';
import type { Print } from '../view.ts';

export interface DeedPorts {
  readonly options: UiOptions;
  snapshot(): Snapshot;
  /** Absent until settings and model are known. */
  house(): UiHouse | undefined;
  screen(): ScreenPorts | undefined;
  /** Of the open session. */
  images(): Images | undefined;
  set(change: Partial<Omit<Snapshot, 'view'>>): void;
  say(level: 'info' | 'warning' | 'error', text: string): void;
  print(...prints: readonly Print[]): void;
  /** Prints these entries anew on an empty screen; the scrollback stays. */
  show(entries: readonly JSONLEntry[]): void;
  /** A line in place of the status line, for a moment; undefined takes it away. */
  showHint(hint: string | undefined): void;
  /** At once, or, while a session is being opened, as soon as it is open. */
  whenOpen(act: () => void | Promise<void>): void;
  leave(code?: number): void;
}

/** What the key found. */
export interface DeedPlace {
  /** The composer is empty. */
  readonly empty: boolean;
}

export type Deed = (ports: DeedPorts, at: DeedPlace) => void | Promise<void>;
