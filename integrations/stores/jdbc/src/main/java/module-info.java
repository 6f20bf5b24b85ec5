import org.jspecify.annotations.NullMarked;

/** Limits that a relational database counts for all instances. */
@NullMarked
module dev.weir.jdbc {
    requires transitive dev.weir.store.limits;
    requires transitive java.sql;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    exports dev.weir.jdbc;
}
