package dev.weir.config.source;

import dev.weir.config.document.DocumentTree;
import dev.weir.config.document.Format;
import dev.weir.internal.Require;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The content of a source at one time: the bytes or the tree of a document, or that there is none. Immutable. */
public final class Reading {
    /** The most bytes that a source reads: 16 MiB. The reader of documents refuses those over 1 MiB unless it is set otherwise. */
    public static final int MAX_BYTES = 1 << 24;

    /** The {@link #revision} of a source that has none. */
    public static final long NO_REVISION = -1;

    private final byte @Nullable [] content;
    private final @Nullable DocumentTree tree;
    private final Format format;
    private final long revision;
    private final String epoch;
    private final boolean isWhole;

    private Reading(
            byte @Nullable [] content,
            @Nullable DocumentTree tree,
            Format format,
            long revision,
            String epoch,
            boolean isWhole) {
        this.content = content;
        this.tree = tree;
        this.format = format;
        this.revision = revision;
        this.epoch = epoch;
        this.isWhole = isWhole;
    }

    /**
     * A document without a revision that may be half of one, because somebody may be writing it. YAML that is not in braces must
     * end with a newline.
     */
    public static Reading of(byte[] content, Format format) {
        Objects.requireNonNull(format, "format");
        return new Reading(content.clone(), null, format, NO_REVISION, "", false);
    }

    /** A whole document without a revision, of values that the source has as a tree. Its bytes are the JSON of the tree. */
    public static Reading of(DocumentTree tree) {
        return new Reading(tree.json(), tree, Format.TREE, NO_REVISION, "", true);
    }

    /** There is no document: the file or node does not exist. */
    public static Reading absent() {
        return new Reading(null, null, Format.YAML, NO_REVISION, "", true);
    }

    /**
     * The same with the number that the server gave to this write. A later write must have a higher one.
     *
     * @param number at least 0
     * @throws IllegalArgumentException if it is negative
     */
    public Reading revision(long number) {
        return revision(number, "");
    }

    /**
     * The same with the number that the server gave to this write, and the epoch in which it counts: a server that was
     * rebuilt starts another one, in which numbers are lower again.
     *
     * @param number at least 0
     * @param epoch the identity of the server's data; empty = unknown
     * @throws IllegalArgumentException if the number is negative
     */
    public Reading revision(long number, String epoch) {
        Require.that(number >= 0, "revision must be >= 0", number);
        return new Reading(content, tree, format, number, Objects.requireNonNull(epoch, "epoch"), isWhole);
    }

    /** The same, known to be all that was written: the server replaces the document in one step. */
    public Reading whole() {
        return new Reading(content, tree, format, revision, epoch, true);
    }

    /** True if there is no document. */
    public boolean isAbsent() {
        return content == null;
    }

    /** A copy of the bytes; empty if there is no document. */
    public byte[] content() {
        return content == null ? new byte[0] : content.clone();
    }

    /** The tree; empty if the source has only bytes. */
    public Optional<DocumentTree> tree() {
        return Optional.ofNullable(tree);
    }

    /** The format of the bytes. */
    public Format format() {
        return format;
    }

    /** The number of this write at the server, or {@link #NO_REVISION}. */
    public long revision() {
        return revision;
    }

    /** The identity of the data at the server, within which revisions grow; empty = unknown. */
    public String epoch() {
        return epoch;
    }

    /** True if the source knows that this is all that was written. */
    public boolean isWhole() {
        return isWhole;
    }

    /** True if both have the same bytes in the same format, and are both known to be whole or not. */
    public boolean isSameAs(Reading other) {
        return Arrays.equals(content, other.content) && format == other.format && isWhole == other.isWhole;
    }
}
