import org.jspecify.annotations.NullMarked;

/** Wait queues before a limiter, their disciplines, and executors with bounded concurrency. */
@NullMarked
module dev.weir.queue {
    requires transitive dev.weir;
    requires transitive io.github.resilience4j.core;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    exports dev.weir.queue;
    exports dev.weir.queue.discipline;
    exports dev.weir.executor;
}
