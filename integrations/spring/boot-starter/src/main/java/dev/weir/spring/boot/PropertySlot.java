package dev.weir.spring.boot;

import dev.weir.config.document.DocumentTree.Located;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The value that sources of properties have under one name: a text, names or a list. Of each text, and of each list as a whole, that
 * of the source with the lowest rank stays.
 */
final class PropertySlot {
    /** By letters and digits. */
    final Map<String, PropertySlot> named = new LinkedHashMap<>();

    /** The places where the name is written so. */
    final Map<String, String> spellings = new LinkedHashMap<>();

    private final SortedMap<Integer, PropertySlot> indexed = new TreeMap<>();
    private int listRank = Integer.MAX_VALUE;
    private int textRank = Integer.MAX_VALUE;
    private @Nullable Located text;

    /** The value one step below; null if it is of a list that another source has. */
    @Nullable
    PropertySlot below(PropertyStep step, int rank) {
        if (!step.isIndex()) {
            return named.computeIfAbsent(step.uniform(), any -> new PropertySlot());
        }
        if (rank < listRank) {
            indexed.clear();
            listRank = rank;
        }
        return rank > listRank
                ? null
                : indexed.computeIfAbsent(Integer.valueOf(step.text()), any -> new PropertySlot());
    }

    /** Takes a text; false if the same source has another one. */
    boolean set(Located value, int rank) {
        if (rank < textRank) {
            text = value;
            textRank = rank;
            return true;
        }
        return rank > textRank;
    }

    /** Null if there is none, or a list of a source before it. */
    @Nullable
    Located text() {
        return textRank <= listRank ? text : null;
    }

    /** Empty if there is none, or a text of a source before it. */
    SortedMap<Integer, PropertySlot> list() {
        return textRank <= listRank ? new TreeMap<>() : indexed;
    }

    String place() {
        Located own = text();
        if (own != null) {
            return own.origin();
        }
        for (Map<?, PropertySlot> inside : List.<Map<?, PropertySlot>>of(named, list())) {
            for (PropertySlot each : inside.values()) {
                return each.place();
            }
        }
        return "";
    }

    /** The first spelling; of a name that only variables have, its letters. */
    String spelling(String uniform) {
        return spellings.isEmpty() ? uniform : spellings.keySet().iterator().next();
    }
}
