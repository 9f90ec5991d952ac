import { PersistentStore } from '../../context/index.ts';

/** Opens sessions for reading only: without a lock, also while another program writes them. */
export class ReadingStore extends PersistentStore {
  override openSession(sessionId: string): ReturnType<PersistentStore['openSession']> {
    return this.openReader(sessionId);
  }
}
