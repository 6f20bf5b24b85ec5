import org.jspecify.annotations.NullMarked;

/** Adaptive control: limits that follow what windows of samples and signals show. */
@NullMarked
module dev.weir.adaptive {
    requires transitive dev.weir;
    requires java.management;
    requires jdk.management;
    requires com.github.oshi;
    requires static transitive org.jspecify;

    exports dev.weir.adaptive;
    exports dev.weir.adaptive.controller;
    exports dev.weir.adaptive.signal;
    exports dev.weir.adaptive.state;
    exports dev.weir.adaptive.warmup;
}
