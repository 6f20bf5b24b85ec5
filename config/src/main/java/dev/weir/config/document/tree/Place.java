package dev.weir.config.document.tree;

/**
 * A place in a document: a line and a column of a text, counted from 1, 0 = none; or what the origin of a value in a tree says,
 * such as {@code application.yml:12}, empty = the document.
 */
public record Place(int line, int column, String origin) {
    public static final Place NONE = new Place(0, 0);

    /** A place in the text of the document. */
    Place(int line, int column) {
        this(line, column, "");
    }

    public static Place of(String origin) {
        return origin.isEmpty() ? NONE : new Place(0, 0, origin);
    }

    /** The place of a character of a text. */
    static Place of(CharSequence text, int index) {
        int line = 1;
        int start = 0;
        for (int i = 0; i < index && i < text.length(); i++) {
            if (text.charAt(i) == '\n') {
                line++;
                start = i + 1;
            }
        }
        return new Place(line, index - start + 1);
    }
}
