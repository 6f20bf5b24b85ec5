package dev.weir.share;

import dev.weir.spi.Registration;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The listeners to entries of a registry that were given to {@link ShareRegistry#watch}, for authors of registries. The actions
 * are called on the calling thread, with no lock held; what one throws is logged and ignored. Thread-safe.
 */
public final class EntryListeners {
    private static final class Listener {
        private final String entry;
        private final Runnable changed;

        Listener(String entry, Runnable changed) {
            this.entry = entry;
            this.changed = changed;
        }
    }

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    /** Creates an empty list of listeners. */
    public EntryListeners() {}

    /**
     * Adds an action, until the registration is closed.
     *
     * @throws IllegalArgumentException if the entry is no {@link ShareRegistry#name}
     */
    public Registration add(String entry, Runnable changed) {
        Listener added = new Listener(ShareRegistry.name("entry", entry), Objects.requireNonNull(changed, "changed"));
        listeners.add(added);
        return () -> listeners.remove(added);
    }

    /** Calls the actions of this entry. */
    public void changed(String entry) {
        listeners.stream().filter(listener -> listener.entry.equals(entry)).forEach(EntryListeners::call);
    }

    /** Calls all actions: the members may have changed, or any entry. */
    public void allChanged() {
        listeners.forEach(EntryListeners::call);
    }

    /** True while there are no listeners. */
    public boolean isEmpty() {
        return listeners.isEmpty();
    }

    /** Removes all actions. */
    public void clear() {
        listeners.clear();
    }

    private static void call(Listener listener) {
        try {
            listener.changed.run();
        } catch (Throwable t) {
            System.getLogger(EntryListeners.class.getName())
                    .log(Level.WARNING, "Ignored: a listener of " + listener.entry + " failed", t);
        }
    }
}
