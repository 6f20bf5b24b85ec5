import org.jspecify.annotations.NullMarked;

/** Judgement: limits that follow what the windows and signals show. */
@NullMarked
module dev.weir.adaptive {
    requires transitive dev.weir;
    requires java.management;
    requires jdk.management;
    requires com.github.oshi;
    requires static transitive org.jspecify;

    exports dev.weir.adaptive;
    exports dev.weir.adaptive.signal;
}
