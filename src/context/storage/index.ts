/** The door of the context room's durable half. */
export { BlobStore } from './BlobStore.ts';
export { CacheStore, SessionToolCache } from './CacheStore.ts';
export type { Stored } from './catalogue/archiveSession.ts';
export { archiveOldest } from './catalogue/archiveSession.ts';
export type { RefreshReport } from './catalogue/Engine.ts';
export { type ProjectFolders, rememberPlace } from './catalogue/projectPlaces.ts';
export {
  type CatalogueOptions,
  openCatalogue,
  type SearchLimits,
  type SessionCatalogue,
  type SessionKey,
} from './catalogue/SessionCatalogue.ts';
export {
  compactionBoundaryText,
  compactionDrafts,
  messageDraft,
  toolResultDraft,
  toolUseDraft,
} from './drafts.ts';
export {
  AmbiguousSessionIdError,
  InvalidSessionIdError,
  type LockHolder,
  SessionExistsError,
  SessionLockedError,
  SessionNotFoundError,
  SessionReadOnlyError,
} from './errors.ts';
export { isSafeSessionId, newId, newNoteKey, newSessionId } from './ids.ts';
export { JSONLStore } from './JSONLStore.ts';
export { LogPages } from './LogPages.ts';
export { type DamagedLine, type LogContents, parseLine } from './logReader.ts';
export { MemoryStore } from './MemoryStore.ts';
export { PersistentStore, type PersistentStoreOptions } from './PersistentStore.ts';
export {
  detectGitBranch,
  detectGitRemote,
  escapeProjectPath,
  getProjectStoragePath,
  getSessionFilePath,
  getStorageRoot,
  projectSlug,
} from './pathUtils.ts';
export { damageNotices } from './repair/damage.ts';
export { type RepairReport, repairSession } from './repair/repairSession.ts';
export { scanLog } from './repair/scanLog.ts';
export type { VerifyReport } from './repair/verifySession.ts';
export { pointersOf, type VerifyOptions, verifySession } from './repair/verifySession.ts';
export { acquireSessionLock, type LockResult } from './SessionLock.ts';
export { SessionLog } from './SessionLog.ts';
export type { Blobs, OpenLog, SessionStore, StorageProblem } from './sessionStore.ts';
export type { SessionSummary } from './sessionSummary.ts';
