/** The context room's one door. */
export { type ProjectionPolicy, projectMessages } from './ContextBuilder.ts';
export { ContextManager } from './ContextManager.ts';
export type { ContextData } from './contextData.ts';
export { analyzeFiles, type FileContent, type FileReference, readFilesContent } from './FileAnalyzer.ts';
export { HistoryManager, type HistoryOptions } from './history/HistoryManager.ts';
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
export { truncateObservation } from './results/ObservationTruncator.ts';
export type { SessionContext } from './SessionContext.ts';
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
export { type ItemFacts, strategyItems } from './strategies/items.ts';
export { planRemoval } from './strategies/planRemoval.ts';
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
