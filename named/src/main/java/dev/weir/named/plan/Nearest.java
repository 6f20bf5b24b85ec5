package dev.weir.named.plan;

import java.util.Collection;

/** The known name that was probably meant by an unknown one. */
public final class Nearest {
    private static final int MAX_CHARS = 64;

    private Nearest() {}

    /** Advice to an unknown name: {@code "; did you mean checkout?"}; empty if no known one is near. */
    public static String to(String unknown, Collection<String> known) {
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

    /** The number of characters that must be added, removed, replaced or swapped with the next; {@code limit} = as many or more. */
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
