import org.jspecify.annotations.NullMarked;

/** Meters of a limiter, and of the queue before it. */
@NullMarked
module dev.weir.micrometer {
    requires transitive dev.weir;
    requires transitive dev.weir.queue;
    requires transitive micrometer.core;
    requires static transitive org.jspecify;

    exports dev.weir.micrometer;
}
