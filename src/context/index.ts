/** The context room's one door. */

export { type AskedThread, askThread, type ThreadAnswer } from './askThread.ts';
export { CompactionService } from './CompactionService.ts';
export {
  type BuiltContext,
  ContextBuilder,
  type ContextBuilderConfig,
  DEFAULT_CONTEXT_CONFIG,
  type Thread,
} from './ContextBuilder.ts';
export { ContextManager } from './ContextManager.ts';
export type { ContextData } from './contextData.ts';
export { analyzeFiles, type FileContent, type FileReference, readFilesContent } from './FileAnalyzer.ts';
export { foldLog } from './history/foldLog.ts';
export { HistoryManager, type HistoryOptions } from './history/HistoryManager.ts';
export { type Live, liveEntries } from './history/live.ts';
export { filterOrphanToolMessages } from './history/messageAtoms.ts';
export { type Spent, spentIn } from './history/past.ts';
export { estimateRounds, findRoundBoundaries } from './history/rounds.ts';
export { SlidingWindow, type SlidingWindowConfig, type WindowResult } from './history/SlidingWindow.ts';
export { windowItems } from './history/windowItems.ts';
export {
  type ActiveTask,
  activeTask,
  extractGoalFromMessage,
  generateStatusSummary,
  reminderDraft,
  reminderDue,
  reminderText,
} from './memory/ActiveTaskService.ts';
export { withDeadline } from './memory/deadline.ts';
export { formatMemories, memoryDraft } from './memory/formatMemories.ts';
export {
  createInstructionSource,
  type InstructionPlaces,
  type InstructionSource,
  readInstructions,
} from './memory/InstructionSource.ts';
export {
  formatInstructions,
  type InstructionChange,
  type InstructionFile,
  instructionDraft,
} from './memory/instructions.ts';
export {
  type FoundMemory,
  LongTermMemory,
  type LongTermMemoryOptions,
  type MemoryFileInfo,
  type MemorySearchOptions,
} from './memory/LongTermMemory.ts';
export type { LeftOut, MemoryFolders, MemoryScope } from './memory/memoryFiles.ts';
export { oneLine } from './memory/quotes.ts';
export type { Remembered } from './memory/remember.ts';
export { type Draft, ThreadSummary } from './memory/ThreadSummary.ts';
export {
  type RebuiltRequest,
  type RequestSource,
  rebuildRequest,
  requestsIn,
} from './rebuildRequest.ts';
export { admitOutput } from './results/admit.ts';
export { truncateObservation } from './results/ObservationTruncator.ts';
export { compress } from './results/ToolResultCompressor.ts';
export { WorkingMemory } from './results/WorkingMemory.ts';
export { convertToStandardMessages, type ProjectionPolicy, projectMessages } from './standardMessages.ts';
export {
  AmbiguousSessionIdError,
  archiveOldest,
  BlobStore,
  CacheStore,
  type CatalogueOptions,
  detectGitBranch,
  detectGitRemote,
  getProjectStoragePath,
  getStorageRoot,
  InvalidSessionIdError,
  isSafeSessionId,
  JSONLStore,
  type LockHolder,
  LogPages,
  MemoryStore,
  newId,
  newNoteKey,
  newSessionId,
  openCatalogue,
  PersistentStore,
  type PersistentStoreOptions,
  type ProjectFolders,
  parseLine,
  pointersOf,
  type RefreshReport,
  type RepairReport,
  rememberPlace,
  repairSession,
  type SearchLimits,
  type SessionCatalogue,
  SessionExistsError,
  type SessionKey,
  SessionLockedError,
  SessionNotFoundError,
  SessionReadOnlyError,
  type SessionSummary,
  type StorageProblem,
  type Stored,
  scanLog,
  type VerifyOptions,
  type VerifyReport,
  verifySession,
} from './storage/index.ts';
export { adaptiveCompress } from './strategies/adaptiveCompress.ts';
export {
  type CompressionHistory,
  type CompressionStatistics,
  compressionHistory,
} from './strategies/CompressionHistory.ts';
export {
  type CheckInput,
  type CheckResult,
  checkAndCompress,
} from './strategies/checkAndCompress.ts';
export { HybridStrategy } from './strategies/HybridStrategy.ts';
export { type ItemFacts, strategyItems } from './strategies/items.ts';
export { MiddleRemovalStrategy } from './strategies/MiddleRemovalStrategy.ts';
export { OldestRemovalStrategy } from './strategies/OldestRemovalStrategy.ts';
export { planRemoval } from './strategies/planRemoval.ts';
export { assignMessagePriorities } from './strategies/priorities.ts';
export { type RemovalPolicy, removalPolicyFor } from './strategies/removalPolicy.ts';
export { type Endpoint, type ModelStrategy, strategyForModel } from './strategies/strategyForModel.ts';
export type {
  MessagePriority,
  RemovalOptions,
  RemovalPlanOptions,
  RemovalResult,
  RemovalStrategy,
  StrategyItem,
  StrategyName,
} from './strategies/types.ts';
export { type TokenCount, TokenCounter, type TokenCounterOptions } from './TokenCounter.ts';
export { allocateBudget, type ContextBudget } from './tokens/allocateBudget.ts';
export { estimateTokens, getChineseRatio } from './tokens/estimate.ts';
export { estimateMessagesTokens, estimateTokensCached } from './tokens/estimateCached.ts';
export { WorkerEncoder } from './tokens/exact/WorkerEncoder.ts';
export { TokenBudgetTracker } from './tokens/TokenBudgetTracker.ts';
export type { TokenEncoder, VocabularyName } from './tokens/TokenEncoder.ts';
export { truncateToTokens } from './tokens/truncate.ts';
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
