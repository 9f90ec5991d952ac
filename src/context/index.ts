/** Public interface of `context` for the rest of the program. */

export { CompactionService } from './CompactionService.ts';
export { ContextBuilder } from './ContextBuilder.ts';
export { ContextManager } from './ContextManager.ts';
export { writesSummary } from './compaction/smallSummary.ts';
export { ThreadSummary } from './compaction/ThreadSummary.ts';
export type { ContextData } from './contextData.ts';
export { analyzeFiles, readFilesContent } from './FileAnalyzer.ts';
export { isPrompt } from './history/atoms.ts';
export { usageOfSession } from './history/evictedPrefix.ts';
export { HistoryManager } from './history/HistoryManager.ts';
export { foldLog, type Live, liveEntries } from './history/liveEntries.ts';
export { estimateRounds, findRoundBoundaries } from './history/rounds.ts';
export { SlidingWindow } from './history/SlidingWindow.ts';
export { extractGoalFromMessage, generateStatusSummary } from './memory/ActiveTaskService.ts';
export { type FoundMemory, oneLine } from './memory/formatMemories.ts';
export { createInstructionSource } from './memory/InstructionSource.ts';
export { LongTermMemory, type MemoryFileInfo } from './memory/LongTermMemory.ts';
export type { MemoryFolders, MemoryScope, Remembered } from './memory/memoryFiles.ts';
export { rebuildRequest, requestsIn } from './request/rebuildRequest.ts';
export { convertToStandardMessages, projectMessages } from './request/standardMessages.ts';
export { DEFAULT_CONTEXT_CONFIG } from './request/threadView.ts';
export { filterOrphanToolMessages, validateRequest } from './request/validateRequest.ts';
export { truncateObservation } from './results/ObservationTruncator.ts';
export { compress } from './results/ToolResultCompressor.ts';
export { WorkingMemory } from './results/WorkingMemory.ts';
export { usageOf } from './sessionEntries.ts';
export { BlobStore } from './storage/BlobStore.ts';
export { CacheStore } from './storage/CacheStore.ts';
export { signingKeyFile } from './storage/ChangeSigner.ts';
export { archiveOldest, type Stored } from './storage/catalogue/archiveSession.ts';
export {
  isOtherFolder,
  type ProjectFolders,
  recordProjectFolder,
} from './storage/catalogue/projectFolders.ts';
export { openCatalogue, type SessionCatalogue } from './storage/catalogue/SessionCatalogue.ts';
export { JSONLStore } from './storage/JSONLStore.ts';
export { LogPages } from './storage/LogPages.ts';
export { folderOfLog } from './storage/logBytes.ts';
export { MemorySessionStore } from './storage/MemorySessionStore.ts';
export { MemoryStore } from './storage/MemoryStore.ts';
export { newId, newNoteKey } from './storage/newEntries.ts';
export { PersistentStore } from './storage/PersistentStore.ts';
export {
  agentsFolderIn,
  detectGitBranch,
  detectGitRemote,
  getProjectStoragePath,
  getSessionFilePath,
  getStorageRoot,
} from './storage/pathUtils.ts';
export { type DamagedLine, lossText } from './storage/repair/damage.ts';
export { type RepairReport, repairSession } from './storage/repair/repairSession.ts';
export { pointersOf, scanLog, type VerifyReport, verifySession } from './storage/repair/verifySession.ts';
export type { Redaction, SessionStore, StorageProblem } from './storage/sessionStore.ts';
export {
  AmbiguousSessionIdError,
  InvalidSessionIdError,
  type LockHolder,
  SessionExistsError,
  SessionLockedError,
  SessionNotFoundError,
} from './storage/sessionStore.ts';
export type { SessionSummary } from './storage/sessionSummary.ts';
export { hasRealFolders, StoredLinkError } from './storage/storedFiles.ts';
export { compressionHistory } from './strategies/CompressionHistory.ts';
export { checkAndCompress } from './strategies/checkAndCompress.ts';
export { assignMessagePriorities } from './strategies/priorities.ts';
export {
  adaptiveCompress,
  HybridStrategy,
  MiddleRemovalStrategy,
  OldestRemovalStrategy,
} from './strategies/removalStrategies.ts';
export { removalPolicyFor, strategyForModel } from './strategies/strategyForModel.ts';
export { TokenCounter } from './TokenCounter.ts';
export { createThreadClient, type ThreadAnswer, type ThreadClient } from './threadClient.ts';
export { allocateBudget, TokenBudgetTracker } from './tokens/budgets.ts';
export { WorkerEncoder } from './tokens/ExactCounts.ts';
export {
  estimateMessagesTokens,
  estimateTokens,
  estimateTokensCached,
  getChineseRatio,
} from './tokens/estimate.ts';
export type { TokenEncoder } from './tokens/exact/vocabulary.ts';
export { truncateToTokens } from './tokens/truncate.ts';
export type {
  ContextManagerDeps,
  OpenCallResult,
  SummaryModel,
} from './types.ts';
