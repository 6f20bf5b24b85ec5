/** For authors of disciplines: the contract of every discipline, and benches that run one by itself and in a queue. */
@NullMarked
package dev.weir.queue.contract;

import org.jspecify.annotations.NullMarked;
