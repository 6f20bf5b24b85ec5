import org.jspecify.annotations.NullMarked;

/** Patience before a limiter: wait queues, their disciplines, and executors with bounded concurrency. */
@NullMarked
module dev.weir.queue {
    requires transitive dev.weir;
    requires transitive io.github.resilience4j.core;
    requires static transitive org.jspecify;

    exports dev.weir.queue;
}
