/** The context room's one door. */
export { type ProjectionPolicy, projectMessages } from './ContextBuilder.ts';
export { ContextManager } from './ContextManager.ts';
export type { ContextData } from './contextData.ts';
export { formatInstructions, type InstructionFile, readInstructions } from './memory/instructions.ts';
export {
  AmbiguousSessionIdError,
  BlobStore,
  detectGitBranch,
  detectGitRemote,
  getProjectStoragePath,
  getStorageRoot,
  InvalidSessionIdError,
  isSafeSessionId,
  type LockHolder,
  newId,
  newSessionId,
  PersistentStore,
  type PersistentStoreOptions,
  SessionExistsError,
  SessionLockedError,
  SessionNotFoundError,
  type SessionSummary,
  type StorageProblem,
} from './storage/index.ts';
export type {
  BuildOutcome,
  CompactOptions,
  ContextManagerDeps,
  LoadReport,
  ReplyEnd,
  RequestOptions,
  SessionConfiguration,
  SessionHeader,
  SummaryModel,
  SummaryReply,
  ToolResultInput,
} from './types.ts';
export { validateRequest } from './validateRequest.ts';
