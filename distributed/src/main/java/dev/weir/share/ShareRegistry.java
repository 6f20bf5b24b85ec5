package dev.weir.share;

import dev.weir.internal.Require;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.List;

/**
 * One instance's access to a registry: which instances of a service are alive, and entries that all of them read and replace
 * under an optimistic lock. Thread-safe. Methods may block for as long as the client of the registry waits, and throw if the
 * registry cannot be reached; then it is not known whether a change was made.
 */
public interface ShareRegistry extends AutoCloseable {
    /** The id of this instance: a {@link #name}, different for each start of a process. */
    String instance();

    /**
     * Makes this instance a member, or keeps it one. It stays a member for the returned time at least, counted from the
     * moment <em>before</em> this method was called, and ceases to be one some time after that.
     *
     * @throws IllegalStateException if another instance with this id is a member, as far as the registry can tell
     * @throws Exception if the registry cannot be reached
     */
    Duration renew() throws Exception;

    /**
     * Reads an entry and the members. The members are at least as new as the entry: an instance that became a member before it
     * wrote this entry is among them, unless it ceased to be one.
     *
     * @param entry a {@link #name}
     * @throws IllegalArgumentException if the entry is no name
     * @throws Exception if the registry cannot be reached
     */
    View read(String entry) throws Exception;

    /**
     * Replaces an entry, if nobody has replaced it since.
     *
     * @param version that of the {@link View} which was read; 0 = the entry does not exist
     * @return false if it was replaced since, or was created or deleted
     * @throws Exception if the registry cannot be reached
     */
    boolean replace(String entry, long version, String value) throws Exception;

    /**
     * Calls the action when the entry or the members may have changed, or the connection is back, also if that was lost for long.
     * The action must not block.
     *
     * @param entry a {@link #name}
     * @throws IllegalArgumentException if the entry is no name
     */
    Registration watch(String entry, Runnable changed);

    /**
     * Checks the name of an instance or of an entry: {@code [A-Za-z0-9._-]{1,128}}, but neither {@code .} nor {@code ..}.
     *
     * @param what what it names, for the message
     * @return the name
     * @throws IllegalArgumentException if it is none
     */
    static String name(String what, String name) {
        boolean isName = name.matches("[A-Za-z0-9._-]{1,128}") && !name.equals(".") && !name.equals("..");
        String rule = what + " must be 1 to 128 of A-Z a-z 0-9 . _ -, but not . or ..";
        Require.that(isName, rule, name.length() + " characters");
        return name;
    }

    /** Ceases to be a member now, if the registry can be reached, and ends all watches. */
    @Override
    void close();

    /**
     * The members and one entry of a registry at one moment.
     *
     * @param members the ids of the members, in ascending order
     * @param value the entry; empty if it does not exist
     * @param version another one after each replacement, and never one that was used before, also if the entry was deleted
     *     meanwhile; 0 if it does not exist
     */
    record View(List<String> members, String value, long version) {
        /** Copies the list. */
        public View {
            members = List.copyOf(members);
        }
    }
}
