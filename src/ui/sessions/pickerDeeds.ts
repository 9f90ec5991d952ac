/** What the picker does to a session that is not open: renames, archives and deletes it, says so, takes it back. */
import type { SessionRecord } from '../../protocol/sessions.ts';
import { withSession } from './pickerState.ts';
import type { PickerStore } from './pickerStore.ts';
import type { Deed, SessionsPort } from './SessionsPort.ts';

export interface PickerDeeds {
  rename(session: SessionRecord, title: string): Promise<void>;
  /** Into the archive, or out of it. */
  archive(session: SessionRecord): Promise<void>;
  remove(session: SessionRecord): Promise<void>;
  /** Takes the last renaming or archiving back. */
  undo(): Promise<void>;
}

/** The open session, whose log is its own: its title is changed through it. */
export interface CurrentSession {
  readonly id: string;
  rename(title: string): void;
}

export function createPickerDeeds(
  port: SessionsPort,
  store: PickerStore,
  current: CurrentSession | undefined,
): PickerDeeds {
  let takeBack: (() => Promise<Deed>) | undefined;

  const tell = ({ type, message }: Deed): void =>
    store.set({ ...store.get(), message: { level: type === 'done' ? 'info' : 'error', text: message } });
  const replace = (session: SessionRecord, now: SessionRecord | undefined): void =>
    store.set(withSession(store.get(), session, now, store.rows()));

  const setTitle = async (session: SessionRecord, title: string): Promise<Deed> => {
    if (current?.id === session.id) current.rename(title);
    else {
      const deed = await port.rename(session, title);
      if (deed.type === 'failed') return deed;
    }
    const renamed: SessionRecord = { ...session, title, titleSource: 'user' };
    replace(session, renamed);
    takeBack = () => setTitle(renamed, session.title);
    return { type: 'done', message: `Renamed to “${title}” · Ctrl+Z to undo` };
  };
  const setArchived = async (session: SessionRecord, isArchived: boolean): Promise<Deed> => {
    const deed = await (isArchived ? port.archive(session) : port.unarchive(session));
    if (deed.type === 'failed') return deed;
    const moved: SessionRecord = { ...(deed.session ?? session), isArchived };
    replace(session, moved);
    takeBack = () => setArchived(moved, !isArchived);
    return { ...deed, message: `${deed.message} · Ctrl+Z to undo` };
  };

  return {
    async rename(session, title) {
      if (title !== '' && title !== session.title) tell(await setTitle(session, title));
    },
    async archive(session) {
      if (current?.id === session.id) tell(openHere('archived'));
      else tell(await setArchived(session, !session.isArchived));
    },
    async remove(session) {
      const deed = current?.id === session.id ? openHere('deleted') : await port.remove(session);
      if (deed.type === 'done') replace(session, undefined);
      tell(deed);
    },
    async undo() {
      const last = takeBack;
      takeBack = undefined;
      tell(last === undefined ? { type: 'failed', message: 'Nothing to undo.' } : await last());
    },
  };
}

function openHere(done: string): Deed {
  return { type: 'failed', message: `It is open here, so it cannot be ${done}.` };
}
