import org.jspecify.annotations.NullMarked;

/** Meters of a limiter, of the queue before it, and of the control that turns it. */
@NullMarked
module dev.weir.micrometer {
    requires transitive dev.weir;
    requires static transitive dev.weir.queue;
    requires static transitive dev.weir.adaptive;
    requires static transitive dev.weir.config;
    requires static transitive dev.weir.distributed;
    requires transitive micrometer.core;
    requires static transitive org.jspecify;

    exports dev.weir.micrometer;
}
