package dev.weir.store;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A table with a bounded number of keys; null is a key too. What it evicts is handed to the consumer without a lock. Thread-safe. */
final class StoreKeys<V> {
    private static final Object NO_KEY = new Object();

    private final Cache<Object, V> entries;
    private final Queue<V> evicted = new ConcurrentLinkedQueue<>();
    private final Function<@Nullable Object, V> create;
    private final Consumer<V> onEvicted;

    StoreKeys(long maxKeys, Function<@Nullable Object, V> create, Consumer<V> onEvicted) {
        this.create = create;
        this.onEvicted = onEvicted;
        this.entries = Caffeine.newBuilder()
                .maximumSize(maxKeys)
                .executor(Runnable::run)
                .removalListener(this::removed)
                .build();
    }

    private void removed(@Nullable Object key, @Nullable V value, RemovalCause cause) {
        if (cause.wasEvicted() && value != null) {
            evicted.add(value);
        }
    }

    /** The value of a key; null if there is none. */
    @Nullable
    V find(@Nullable Object key) {
        return entries.getIfPresent(key == null ? NO_KEY : key);
    }

    /** The value of a key, created if there is none. */
    V get(@Nullable Object key) {
        V found = find(key);
        if (found != null) {
            return found;
        }
        V value = entries.get(key == null ? NO_KEY : key, absent -> create.apply(absent == NO_KEY ? null : absent));
        for (V gone = evicted.poll(); gone != null; gone = evicted.poll()) {
            onEvicted.accept(gone);
        }
        return value;
    }

    void remove(@Nullable Object key, V value) {
        entries.asMap().remove(key == null ? NO_KEY : key, value);
    }

    boolean isEmpty() {
        return entries.estimatedSize() == 0;
    }

    /** All values; may change meanwhile. */
    Collection<V> values() {
        return entries.asMap().values();
    }
}
