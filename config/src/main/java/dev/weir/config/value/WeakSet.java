package dev.weir.config.value;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** A set, by identity, of objects that others hold. Thread-safe. */
final class WeakSet<E> {
    private final Set<Reference<E>> references = ConcurrentHashMap.newKeySet();
    private final ReferenceQueue<E> unreachable = new ReferenceQueue<>();

    /** Adds what must not be in the set yet, and removes what nobody holds any more. */
    void add(E element) {
        for (Reference<? extends E> gone = unreachable.poll(); gone != null; gone = unreachable.poll()) {
            references.remove(gone);
        }
        references.add(new WeakReference<>(element, unreachable));
    }

    List<E> elements() {
        return references.stream()
                .map(Reference::get)
                .flatMap(Stream::ofNullable)
                .toList();
    }
}
