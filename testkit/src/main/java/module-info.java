import org.jspecify.annotations.NullMarked;

/** For tests of strategies and edges: virtual time, contracts, seeded generators, and oracles that count what is granted. */
@NullMarked
module dev.weir.testkit {
    requires transitive dev.weir;
    requires java.management;
    requires java.net.http;
    requires jdk.management;
    requires static transitive org.junit.jupiter.api;
    requires static transitive org.jspecify;

    exports dev.weir.testkit;
}
