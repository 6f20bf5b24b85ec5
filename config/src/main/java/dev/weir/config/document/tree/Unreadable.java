package dev.weir.config.document.tree;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** An exception for a text that is not a document: it breaks the rules of its notation, or is too large. */
public final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient List<Fault> faults;
    private final transient @Nullable Node root;

    /**
     * A rule of the notation that is broken, and the place. It shows nothing of the document but the names of keys; the value is
     * the key that is wrong, empty = none.
     */
    public record Fault(Place at, String rule, String value) {}

    public Unreadable(List<Fault> faults) {
        this(faults, null);
    }

    Unreadable(List<Fault> faults, @Nullable Node root) {
        super(faults.get(0).rule());
        this.faults = List.copyOf(faults);
        this.root = root;
    }

    public Unreadable(Place at, String rule) {
        this(List.of(new Fault(at, rule, "")));
    }

    /** The part that can be read in spite of the faults, to find other problems in it; null = nothing. */
    public @Nullable Node root() {
        return root;
    }

    /** At least one. */
    public List<Fault> faults() {
        return faults;
    }
}
