/**
 * Executors with bounded concurrency, for those who submit tasks: {@link dev.weir.executor.LimitedExecutor} runs tasks on any
 * executor under the limit of an {@link dev.weir.queue.AdmissionQueue}, and {@link dev.weir.executor.ResizableThreadPool} changes
 * its size while it runs.
 */
@NullMarked
package dev.weir.executor;

import org.jspecify.annotations.NullMarked;
