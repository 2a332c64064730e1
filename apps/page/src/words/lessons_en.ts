// The tour, the misconceptions and the quiz, in English. Their states are in learn/lessons.ts, in the same order.

export const lessonsEn = {
  tour: [
    {
      title: "A worktop has only so much room",
      text: "GPU memory is the worktop of this kitchen. Every dish that stays on it takes room; a dish that is put away must be cut again from scratch or fetched by an errand. Here are the strategies side by side: what each holds, what it cooks again, what it carries.",
    },
    {
      title: "What is scarce decides who wins",
      text: "The corridor to the store room is now narrow: 2 GB/s. Errands are slow, and snapshots win instead. Move λm, the price of room, and watch the winner change; the map below shows all winners at once.",
    },
    {
      title: "The whole trade-off in one line",
      text: "Each point of the line is a plan that no other plan beats in both memory and time. The dashed line is proven: no legal plan lies below it. Move the memory limit, and the chosen plan moves along the line.",
    },
    {
      title: "What a plan does, moment by moment",
      text: "Memory over one step, stacked by who is there. The column at the right is the peak. Below it run the lanes: cooking, errands out, errands in, and waiting. The table says for each activation why it stays, is made again or goes.",
    },
    {
      title: "Room freed for time spent",
      text: "Each dish has a benefit ratio: bytes freed for each second of cutting it again. Drag the threshold: what lies right of it is recomputed. The solver needs no threshold; where it disagrees, the row is tinted.",
    },
  ],
  myths: [
    {
      title: "“More segments always hold less.”",
      text: "Real checkpointing also holds one whole segment while it is replayed. Memory is least near K = √L and grows again after it.",
    },
    {
      title: "“Offloading everything is the fastest way to save memory.”",
      text: "It is where the link is wide. With a narrow corridor the errands take longer than cooking again.",
    },
    {
      title: "“Full recompute needs no memory for activations.”",
      text: "What crosses from layer to layer stays, and one layer’s inside comes back whole while its backward runs: look at the peak.",
    },
    {
      title: "“There is one best strategy.”",
      text: "It depends on what is scarce. With the same kitchen, keep-all wins at λm = 0.2, checkpoints at 0.3, offload at 0.8.",
    },
    {
      title: "“A good threshold on the benefit ratio finds the best plan.”",
      text: "Equal layers all have ratio 1: a threshold keeps all or recomputes all, and everything between is out of its reach.",
    },
  ],
  quiz: [
    {
      ask: "100 equal layers, simulated. You go from K = 10 to K = 40 segments. What happens to memory?",
      answers: ["It falls to a quarter", "It grows", "Nothing changes"],
      hint: "Count what is held: K inputs, and one whole segment.",
      because: "40 inputs are held plus a segment of 2 or 3 layers: more than 10 inputs and 10 layers.",
    },
    {
      ask: "A narrow corridor of 2 GB/s, memory is cheap (λm = 0.2). Who wins in the ledger?",
      answers: ["Keep all", "Checkpoint", "Offload all"],
      hint: "Where room costs little, what is worth 108 s of cooking or 150 s of errands?",
      because: "Keep all costs 62.4, checkpoint 94.8: room is cheap, so nothing is worth its time.",
    },
    {
      ask: "Stacking by the rule of thumb: checkpointing holds 50 %, offload 40 %. What does it promise for both together?",
      answers: ["40 %", "90 %", "20 %"],
      hint: "Memory multiplies, extras add.",
      because: "50 % × 40 % = 20 %, and +33 % with +10 % is +43 %. What stacking really gives is shown below it.",
    },
    {
      ask: "All layers are equal. Which threshold on the benefit ratio gives a plan between keep-all and recompute-all?",
      answers: ["2", "None", "0.5"],
      hint: "What is the ratio of each layer, if 1 is the average?",
      because: "All ratios are 1. The solver’s plan lies between; no threshold does.",
    },
    {
      ask: "Every layer is checkpointed. What is in memory at the peak besides weights, gradients and optimizer states?",
      answers: ["Nothing", "One layer’s inside", "What crosses between all layers, and one layer’s inside"],
      hint: "Backward needs each layer’s input when its turn comes.",
      because: "The inputs of all layers wait for backward, and the layer in hand is there whole.",
    },
  ],
};
export type Lessons = typeof lessonsEn;
