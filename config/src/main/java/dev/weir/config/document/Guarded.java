package dev.weir.config.document;

import dev.weir.config.document.tree.Node;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls to code that checks its arguments by exceptions, which become problems of the document. */
final class Guarded {
    private Guarded() {}

    /** The result; null if an exception came instead, which is then a problem of the node. */
    static <T> @Nullable T call(Supplier<? extends @Nullable T> creation, Node node, Scope scope) {
        try {
            return creation.get();
        } catch (IllegalArgumentException e) {
            scope.problem(node.at(), e.getMessage() == null ? "must be valid" : e.getMessage(), "");
        } catch (Throwable t) {
            scope.problem(node.at(), "cannot be created: " + t, "");
        }
        return null;
    }
}
