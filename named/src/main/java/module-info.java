import org.jspecify.annotations.NullMarked;

/** Limits by name, of code alone, and changed while they run. */
@NullMarked
@SuppressWarnings("module") // The module of the qualified exports is compiled later.
module dev.weir.named {
    requires transitive dev.weir;
    requires transitive dev.weir.algorithms;
    requires transitive dev.weir.queue;
    requires transitive dev.weir.adaptive;
    requires transitive dev.weir.distributed;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    exports dev.weir.named;
    exports dev.weir.named.plan;
    exports dev.weir.named.recorder;
    exports dev.weir.named.status;
    exports dev.weir.named.backend to
            dev.weir.config;
    exports dev.weir.named.delivery to
            dev.weir.config;
}
