import org.jspecify.annotations.NullMarked;

/** Tests of stores of limits, which the test of a store extends, for authors of stores. */
@NullMarked
@SuppressWarnings("requires-automatic")
module dev.weir.store.contract {
    requires transitive dev.weir.store.limits;
    requires transitive dev.weir.testkit;
    requires transitive org.junit.jupiter.api;
    requires awaitility;
    requires static transitive org.jspecify;

    exports dev.weir.store.contract;
}
