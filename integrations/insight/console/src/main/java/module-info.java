import org.jspecify.annotations.NullMarked;

/** A page that shows limits while they run, and changes them. */
@NullMarked
module dev.weir.console {
    requires transitive dev.weir;
    requires transitive dev.weir.config;
    requires com.fasterxml.jackson.core;
    requires jdk.httpserver;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    exports dev.weir.console;
}
