import org.jspecify.annotations.NullMarked;

/** What it takes to test a strategy: time in hand, a contract, and oracles that count from outside. */
@NullMarked
module dev.weir.testkit {
    requires transitive dev.weir;
    requires static transitive org.junit.jupiter.api;
    requires static transitive org.jspecify;

    exports dev.weir.testkit;
}
