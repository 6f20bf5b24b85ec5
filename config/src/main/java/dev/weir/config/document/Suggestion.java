package dev.weir.config.document;

import java.util.Collection;
import java.util.Locale;
import java.util.TreeSet;

/** A suggestion of the name that was probably meant. */
public final class Suggestion {
    private static final int MAX_CHARS = 64;
    private static final int MAX_LISTED = 30;

    private Suggestion() {}

    /** The rule about an unknown field: what to write in place of it, if it is one of YAML or of another library. */
    static String field(String unknown, Collection<String> known) {
        TreeSet<String> sorted = new TreeSet<>(known);
        for (String name : sorted) {
            if (plain(name).equals(plain(unknown))) {
                return "is not known; did you mean " + name + "?";
            }
        }
        String advice = ForeignFields.of(unknown);
        return advice.isEmpty() ? rule(unknown, sorted) : "is not known; " + advice;
    }

    /** A name without what tells notations apart: {@code maxWait}, {@code max-wait} and {@code max_wait} are alike. */
    static String plain(String name) {
        return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
    }

    /** The rule about an unknown name, with the nearest known one, or all of them, in their order, if none is near. */
    static String rule(String unknown, Collection<String> known) {
        String nearest = nearest(unknown, known);
        if (!nearest.isEmpty()) {
            return "is not known" + nearest;
        }
        return known.isEmpty() || known.size() > MAX_LISTED
                ? "is not known"
                : "is not known; known: " + String.join(", ", known);
    }

    /** Advice to an unknown name: {@code "; did you mean checkout?"}; empty if no known one is near. */
    public static String nearest(String unknown, Collection<String> known) {
        String nearest = "";
        int least = Math.max(1, Math.min(unknown.length(), MAX_CHARS) / 3) + 1;
        for (String name : known) {
            int distance = distance(unknown, name, least);
            // Not if nothing of it would stay.
            if (distance < Math.min(least, unknown.length())) {
                least = distance;
                nearest = name;
            }
        }
        return nearest.isEmpty() ? "" : "; did you mean " + nearest + "?";
    }

    /** How many characters must be added, removed, replaced or swapped with the next; {@code limit} = as many or more. */
    private static int distance(String a, String b, int limit) {
        if (a.length() > MAX_CHARS || Math.abs(a.length() - b.length()) >= limit) {
            return limit;
        }
        int[] beforeLast = new int[b.length() + 1];
        int[] last = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            last[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = last[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, 1 + Math.min(last[j], row[j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
                }
            }
            beforeLast = last;
            last = row;
        }
        return Math.min(limit, last[b.length()]);
    }
}
