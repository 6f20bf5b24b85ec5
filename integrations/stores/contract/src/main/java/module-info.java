import org.jspecify.annotations.NullMarked;

/** What each store of limits does, as tests that the test of a store extends, for authors of stores. */
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
