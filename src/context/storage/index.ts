/** The door of the context room's durable half. */
export { BlobStore } from './BlobStore.ts';
export { CacheStore } from './CacheStore.ts';
export { archiveOldest } from './catalogue/archiveOldest.ts';
export type { Stored } from './catalogue/archiveSession.ts';
export type { RefreshReport } from './catalogue/Engine.ts';
export { type ProjectFolders, rememberPlace } from './catalogue/projectPlaces.ts';
export {
  type CatalogueOptions,
  openCatalogue,
  type SearchLimits,
  type SessionCatalogue,
  type SessionKey,
} from './catalogue/SessionCatalogue.ts';
export { pointersOf } from './checkBlobs.ts';
export { damageNotices } from './damage.ts';
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
export { type RepairReport, repairSession } from './repairSession.ts';
export { acquireSessionLock, type LockResult } from './SessionLock.ts';
export { SessionLog, type StorageProblem } from './SessionLog.ts';
export { scanLog } from './scanLog.ts';
export type { SessionSummary } from './sessionSummary.ts';
export { SessionToolCache } from './ToolCache.ts';
export type { VerifyReport } from './verifyReport.ts';
export { type VerifyOptions, verifySession } from './verifySession.ts';
