package dev.weir.executor;

/** The ways in which a task ends; each task ends once. */
enum TaskEnd {
    SUCCEEDED,
    FAILED,
    CANCELLED,
    REJECTED
}
