package dev.weir.config.document.tree;

import java.util.List;

/** An exception for a text that is not a document: it breaks the rules of its notation, or is too large. */
public final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient List<Fault> faults;

    /**
     * A rule of the notation that is broken, and the place. It shows nothing of the document but the names of keys.
     *
     * @param value the key that is wrong, whole and as it is written; empty = none
     */
    public record Fault(Place at, String rule, String value) {}

    public Unreadable(List<Fault> faults) {
        super(faults.get(0).rule());
        this.faults = List.copyOf(faults);
    }

    public Unreadable(Place at, String rule) {
        this(List.of(new Fault(at, rule, "")));
    }

    /** At least one. */
    public List<Fault> faults() {
        return faults;
    }
}
