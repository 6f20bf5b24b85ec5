package dev.weir.config.document;

import dev.weir.named.plan.Problem;
import java.util.List;
import java.util.stream.Collectors;

/** An exception for a document of which nothing can be used: it cannot be parsed, or is not a document of limits. */
public final class DocumentException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    /** With everything that is wrong, at least one problem. */
    public DocumentException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    /** Everything that is wrong. */
    public List<Problem> problems() {
        return problems;
    }
}
