package dev.weir.executor;

/** How a task ended, once for each task. */
enum TaskEnd {
    SUCCEEDED,
    FAILED,
    CANCELLED,
    REJECTED
}
